; Collecting toys (section 4.3): take a container to the goal area, and the toys into it. Any container will do.
; find - look for a thing; pick - out of the table's things into the hand; place - in the goal area, or in a
; container that stands there; put_back - down on the table again, so that a wrong belief about the goal area is
; not final. What was found before has to be found again after each of them, as the table has changed; the camera
; goes on seeing it all the while, in the hand too.
; `ontable` also holds for what stands in the goal area, which is on the table.
(define (domain tabletop)
  (:requirements :strips :typing :negative-preconditions :conditional-effects)

  (:types
    agent movable - object
    container toy - movable)

  (:predicates
    (inview ?a - agent ?o - movable)
    (found ?a - agent ?o - movable)
    (inhand ?a - agent ?o - movable)
    (handempty ?a - agent)
    (ontable ?o - movable)
    (ingoal ?o - movable)
    (inside ?t - toy ?c - container)
    (collected ?t - toy))

  (:action find
    :parameters (?a - agent ?o - movable)
    :precondition (and (ontable ?o) (not (inhand ?a ?o)))
    :effect (and (inview ?a ?o) (found ?a ?o)))

  (:action pick
    :parameters (?a - agent ?o - movable)
    :precondition (and (inview ?a ?o) (found ?a ?o) (ontable ?o) (handempty ?a))
    :effect (and (inhand ?a ?o) (not (handempty ?a)) (not (ontable ?o)) (not (ingoal ?o))
                 (not (found ?a ?o))))

  (:action place_goal
    :parameters (?a - agent ?c - container)
    :precondition (inhand ?a ?c)
    :effect (and (ingoal ?c) (ontable ?c) (handempty ?a) (not (inhand ?a ?c))
                 (forall (?x - movable) (when (found ?a ?x) (not (found ?a ?x))))))

  (:action place_in
    :parameters (?a - agent ?t - toy ?c - container)
    :precondition (and (inhand ?a ?t) (ingoal ?c))
    :effect (and (inside ?t ?c) (collected ?t) (handempty ?a) (not (inhand ?a ?t))
                 (forall (?x - movable) (when (found ?a ?x) (not (found ?a ?x))))))

  (:action put_back
    :parameters (?a - agent ?o - movable)
    :precondition (inhand ?a ?o)
    :effect (and (ontable ?o) (handempty ?a) (not (inhand ?a ?o))
                 (forall (?x - movable) (when (found ?a ?x) (not (found ?a ?x)))))))
