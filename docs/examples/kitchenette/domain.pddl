(define (domain kitchenette)
  (:requirements :strips :typing :negative-preconditions :conditional-effects)
  (:types robot item place - object  kettle cup - item  shelf floor - place)
  (:predicates
    (at ?i - item ?p - place)
    (holding ?r - robot ?i - item)
    (free ?r - robot)
    (full ?k - kettle)
    (hot ?k - kettle)
    (tea ?c - cup))
  (:action take
    :parameters (?r - robot ?i - item ?p - place)
    :precondition (and (free ?r) (at ?i ?p))
    :effect (and (holding ?r ?i) (not (free ?r)) (not (at ?i ?p))))
  (:action put
    :parameters (?r - robot ?i - item ?p - shelf)
    :precondition (holding ?r ?i)
    :effect (and (at ?i ?p) (free ?r) (not (holding ?r ?i))))
  (:action boil
    :parameters (?r - robot ?k - kettle)
    :precondition (and (free ?r) (full ?k) (not (hot ?k)))
    :effect (hot ?k))
  (:action pour
    :parameters (?r - robot ?k - kettle ?c - cup ?p - shelf)
    :precondition (and (holding ?r ?k) (hot ?k) (at ?c ?p))
    :effect (and (tea ?c) (when (full ?k) (not (full ?k))))))
