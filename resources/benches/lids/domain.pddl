(define (domain lids)
  (:requirements :strips :typing :negative-preconditions)
  (:types arm part place - object  box tray - place)
  (:predicates
    (free ?a - arm)
    (holding ?a - arm ?p - part)
    (inside ?p - part ?l - place)
    (shut ?b - box)
    (inview ?l - place))
  (:action look_at
    :parameters (?a - arm ?l - place ?from - place)
    :precondition (and (inview ?from) (not (inview ?l)))
    :effect (and (inview ?l) (not (inview ?from))))
  (:action pick
    :parameters (?a - arm ?p - part ?l - tray)
    :precondition (and (free ?a) (inside ?p ?l) (inview ?l))
    :effect (and (holding ?a ?p) (not (free ?a)) (not (inside ?p ?l))))
  (:action pick_out
    :parameters (?a - arm ?p - part ?b - box)
    :precondition (and (free ?a) (inside ?p ?b) (inview ?b) (not (shut ?b)))
    :effect (and (holding ?a ?p) (not (free ?a)) (not (inside ?p ?b))))
  (:action put_in
    :parameters (?a - arm ?p - part ?b - box)
    :precondition (and (holding ?a ?p) (inview ?b) (not (shut ?b)))
    :effect (and (inside ?p ?b) (free ?a) (not (holding ?a ?p))))
  (:action open_lid
    :parameters (?a - arm ?b - box)
    :precondition (and (free ?a) (inview ?b) (shut ?b))
    :effect (not (shut ?b)))
  (:action close_lid
    :parameters (?a - arm ?b - box ?p - part)
    :precondition (and (free ?a) (inview ?b) (inside ?p ?b) (not (shut ?b)))
    :effect (shut ?b)))
