(define (domain drawer)
  (:requirements :strips :typing :negative-preconditions)
  (:types robot item place - object  drawer table - place)
  (:predicates
    (at ?i - item ?p - place)
    (holding ?r - robot ?i - item)
    (free ?r - robot)
    (shut ?d - drawer))
  (:action pull
    :parameters (?r - robot ?d - drawer)
    :precondition (and (free ?r) (shut ?d))
    :effect (not (shut ?d)))
  (:action push
    :parameters (?r - robot ?d - drawer)
    :precondition (and (free ?r) (not (shut ?d)))
    :effect (shut ?d))
  (:action take
    :parameters (?r - robot ?i - item ?t - table)
    :precondition (and (free ?r) (at ?i ?t))
    :effect (and (holding ?r ?i) (not (free ?r)) (not (at ?i ?t))))
  (:action take-out
    :parameters (?r - robot ?i - item ?d - drawer)
    :precondition (and (free ?r) (at ?i ?d) (not (shut ?d)))
    :effect (and (holding ?r ?i) (not (free ?r)) (not (at ?i ?d))))
  (:action put
    :parameters (?r - robot ?i - item ?t - table)
    :precondition (holding ?r ?i)
    :effect (and (at ?i ?t) (free ?r) (not (holding ?r ?i))))
  (:action put-in
    :parameters (?r - robot ?i - item ?d - drawer)
    :precondition (and (holding ?r ?i) (not (shut ?d)))
    :effect (and (at ?i ?d) (free ?r) (not (holding ?r ?i)))))
