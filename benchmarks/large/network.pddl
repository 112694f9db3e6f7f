; Conditions at depth and derived predicates: a room gets power through closed switches; a thing is carried
; between lit rooms, and the last lamp must not go out behind it.
(define (domain network)
  (:types room thing switch)
  (:predicates (plant ?r - room) (joins ?s - switch ?a ?b - room) (closed ?s - switch) (fused ?s - switch)
    (robot ?r - room) (lies ?t - thing ?r - room) (held ?t - thing) (store ?r - room)
    (linked ?a ?b - room) (powered ?r - room) (done))
  (:derived (linked ?a ?b - room) (exists (?s - switch) (and (closed ?s) (or (joins ?s ?a ?b) (joins ?s ?b ?a)))))
  (:derived (powered ?r - room) (or (plant ?r) (exists (?o - room) (and (powered ?o) (linked ?o ?r)))))
  (:derived (done) (forall (?t - thing) (exists (?r - room) (and (store ?r) (powered ?r) (lies ?t ?r)))))
  (:action flip
    :parameters (?s - switch)
    :precondition (and (not (fused ?s)) (exists (?r ?o - room) (and (robot ?r) (or (joins ?s ?r ?o) (joins ?s ?o ?r)))))
    :effect (and (when (closed ?s) (not (closed ?s))) (when (not (closed ?s)) (closed ?s))))
  (:action go
    :parameters (?from ?to - room)
    :precondition (and (robot ?from) (exists (?s - switch) (or (joins ?s ?from ?to) (joins ?s ?to ?from)))
      (imply (exists (?t - thing) (held ?t)) (powered ?to)))
    :effect (and (robot ?to) (not (robot ?from))))
  (:action take
    :parameters (?t - thing ?r - room)
    :precondition (and (robot ?r) (lies ?t ?r) (powered ?r) (forall (?o - thing) (not (held ?o))))
    :effect (and (held ?t) (not (lies ?t ?r))))
  (:action put
    :parameters (?t - thing ?r - room)
    :precondition (and (robot ?r) (held ?t))
    :effect (and (lies ?t ?r) (not (held ?t)))))
