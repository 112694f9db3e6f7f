(define (domain rack)
  (:requirements :strips :typing :negative-preconditions)
  (:types arm tube place - object  rack bench - place)
  (:predicates
    (free ?a - arm)
    (holding ?a - arm ?t - tube)
    (at ?t - tube ?p - place)
    (filled ?t - tube)
    (capped ?t - tube))
  (:action take
    :parameters (?a - arm ?t - tube ?p - place)
    :precondition (and (free ?a) (at ?t ?p))
    :effect (and (holding ?a ?t) (not (free ?a)) (not (at ?t ?p))))
  (:action fill
    :parameters (?a - arm ?t - tube)
    :precondition (and (holding ?a ?t) (not (capped ?t)))
    :effect (filled ?t))
  (:action cap
    :parameters (?a - arm ?t - tube)
    :precondition (and (holding ?a ?t) (filled ?t) (not (capped ?t)))
    :effect (capped ?t))
  (:action uncap
    :parameters (?a - arm ?t - tube)
    :precondition (and (holding ?a ?t) (capped ?t))
    :effect (not (capped ?t)))
  (:action put_in
    :parameters (?a - arm ?t - tube ?p - rack)
    :precondition (holding ?a ?t)
    :effect (and (at ?t ?p) (free ?a) (not (holding ?a ?t)))))
