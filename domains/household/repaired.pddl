; The household domain with the gaps of the printed one closed: same predicates, same actions, same
; parameters. What is different:
;   - types say what opens, what carries things, and what can be picked up
;   - taking out of something needs it open
;   - only one thing is found at a time; of what was in view, find leaves in view the thing in the hand, what holds
;     the thing found, and what that holds itself (of a floor, nothing); the rest is taken to leave the picture
;   - what is grasped stays in view, in the hand; what is in the hand cannot be looked for
;   - what is put somewhere is in that room; what is on the floor is on top of it, and can be picked up
;   - the hand's state is said once: preconditions name what is in the hand, or that it is empty
(define (domain household)
  (:requirements :strips :typing :equality :negative-preconditions :conditional-effects)

  (:types
    physical liquid room agent - object
    movable furniture - physical
    container support - furniture              ; what opens and closes; what carries things
    surface floor - support
    wooden_stick tupperware brownie beer_bottle water_bottle mug pie carving_knife hard__boiled_egg - movable
    cabinet electric_refrigerator oven microwave - container
    countertop table sink - surface
    water - liquid
    kitchen living_room garden - room
    water-n-06 - water
    mug-n-04 - mug
    cabinet-n-01 - cabinet
    sink-n-01 - sink
    floor-n-01 - floor
    microwave-n-02 - microwave
    pie-n-01 - pie
    oven-n-01 - oven
    electric_refrigerator-n-01 - electric_refrigerator
    carving_knife-n-01 - carving_knife
    countertop-n-01 - countertop
    hard__boiled_egg-n-01 - hard__boiled_egg
    water_bottle-n-01 - water_bottle
    beer_bottle-n-01 - beer_bottle
    brownie-n-03 - brownie
    tupperware-n-01 - tupperware
    wooden_stick-n-01 - wooden_stick
    table-n-02 - table
    agent-n-01 - agent)

  (:predicates
    (inside ?o1 ?o2 - physical)
    (insource ?s - sink ?w - liquid)
    (inroom ?o - object ?r - room)
    (inhand ?a - agent ?o - physical)
    (inview ?a - agent ?o - physical)
    (handempty ?a - agent)
    (closed ?o - container)
    (filled ?o - movable ?w - liquid)
    (filledsink ?s - sink ?w - liquid)
    (turnedon ?o - container)
    (cooked ?o - object)
    (found ?a - agent ?o - physical)
    (frozen ?o - movable)
    (hot ?o - movable)
    (halved ?o - movable)
    (onfloor ?o - movable ?f - floor)
    (ontop ?o1 - physical ?o2 - support))

  (:action find
    :parameters (?a - agent ?o - physical ?r - room)
    :precondition (and (inroom ?a ?r) (inroom ?o ?r) (not (inhand ?a ?o)))
    :effect (and (inview ?a ?o) (found ?a ?o)
                 (forall (?oo - physical) (when (inview ?a ?oo) (not (inview ?a ?oo))))
                 ; what is added as well as deleted stays
                 (forall (?m - movable) (when (and (inview ?a ?m) (inhand ?a ?m)) (inview ?a ?m)))
                 (forall (?c - container) (when (and (inview ?a ?c) (inside ?o ?c)) (inview ?a ?c)))
                 (forall (?s - support) (when (and (inview ?a ?s) (ontop ?o ?s)) (inview ?a ?s)))
                 (forall (?m - movable) (when (and (inview ?a ?m) (inside ?m ?o)) (inview ?a ?m)))
                 (forall (?m - movable ?s - surface)
                   (when (and (= ?o ?s) (inview ?a ?m) (ontop ?m ?s)) (inview ?a ?m)))
                 (forall (?oo - physical) (when (found ?a ?oo) (not (found ?a ?oo))))))

  (:action graspon
    :parameters (?a - agent ?o1 - movable ?o2 - support)
    :precondition (and (inview ?a ?o1) (found ?a ?o1) (handempty ?a) (ontop ?o1 ?o2))
    :effect (and (not (handempty ?a)) (inhand ?a ?o1) (not (ontop ?o1 ?o2))
                 (forall (?f - floor) (when (onfloor ?o1 ?f) (not (onfloor ?o1 ?f))))))

  (:action graspin
    :parameters (?a - agent ?o1 - movable ?o2 - container)
    :precondition (and (inview ?a ?o1) (found ?a ?o1) (handempty ?a) (inside ?o1 ?o2) (not (closed ?o2)))
    :effect (and (not (handempty ?a)) (inhand ?a ?o1) (not (inside ?o1 ?o2))))

  (:action placein
    :parameters (?a - agent ?o1 - movable ?o2 - container)
    :precondition (and (inhand ?a ?o1) (inview ?a ?o2) (found ?a ?o2) (not (closed ?o2)))
    :effect (and (handempty ?a) (not (inhand ?a ?o1)) (inside ?o1 ?o2)
                 (forall (?r - room) (when (inroom ?o1 ?r) (not (inroom ?o1 ?r))))
                 (forall (?r - room) (when (inroom ?o2 ?r) (inroom ?o1 ?r)))))

  (:action placeon
    :parameters (?a - agent ?o1 - movable ?o2 - surface)
    :precondition (and (inhand ?a ?o1) (inview ?a ?o2) (found ?a ?o2))
    :effect (and (handempty ?a) (not (inhand ?a ?o1)) (ontop ?o1 ?o2)
                 (forall (?r - room) (when (inroom ?o1 ?r) (not (inroom ?o1 ?r))))
                 (forall (?r - room) (when (inroom ?o2 ?r) (inroom ?o1 ?r)))))

  (:action fillsink
    :parameters (?a - agent ?s - sink ?w - liquid)
    :precondition (and (inview ?a ?s) (found ?a ?s) (insource ?s ?w))
    :effect (filledsink ?s ?w))

  (:action fill
    :parameters (?a - agent ?o - movable ?s - sink ?w - liquid)
    :precondition (and (inhand ?a ?o) (filledsink ?s ?w) (inview ?a ?s) (found ?a ?s))
    :effect (and (filled ?o ?w) (not (filledsink ?s ?w))))

  (:action openit
    :parameters (?a - agent ?o - container ?r - room)
    :precondition (and (inview ?a ?o) (found ?a ?o) (inroom ?o ?r))
    :effect (and (not (closed ?o))
                 (forall (?oo - movable) (when (inside ?oo ?o) (inroom ?oo ?r)))))

  (:action closeit
    :parameters (?a - agent ?o - container ?r - room)
    :precondition (and (inview ?a ?o) (found ?a ?o) (inroom ?o ?r))
    :effect (and (closed ?o)
                 (forall (?oo - movable) (when (inside ?oo ?o) (not (inroom ?oo ?r))))))

  (:action microwave_water
    :parameters (?a - agent ?m - microwave ?o - movable ?w - water)
    :precondition (and (inview ?a ?m) (found ?a ?m) (closed ?m) (inside ?o ?m) (filled ?o ?w))
    :effect (and (turnedon ?m) (cooked ?w)))

  (:action heat_food_with_oven
    :parameters (?a - agent ?v - oven ?f - movable)
    :precondition (and (inview ?a ?v) (found ?a ?v) (inside ?f ?v))
    :effect (and (hot ?f) (turnedon ?v) (not (frozen ?f))))

  (:action cut_into_half
    :parameters (?a - agent ?k - carving_knife ?o - movable)
    :precondition (and (inview ?a ?o) (found ?a ?o) (inhand ?a ?k))
    :effect (halved ?o))

  (:action place_on_floor
    :parameters (?a - agent ?o - movable ?f - floor)
    :precondition (and (inview ?a ?f) (found ?a ?f) (inhand ?a ?o))
    :effect (and (handempty ?a) (not (inhand ?a ?o)) (onfloor ?o ?f) (ontop ?o ?f)
                 (forall (?r - room) (when (inroom ?o ?r) (not (inroom ?o ?r))))
                 (forall (?r - room) (when (inroom ?f ?r) (inroom ?o ?r))))))
