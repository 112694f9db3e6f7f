; Crates on pallets, lifted by the hoist of the place and driven between places.
(define (domain depots)
  (:types place truck hoist base - object pallet crate - base)
  (:predicates (at ?x - (either truck hoist base) ?p - place) (on ?c - crate ?b - base) (clear ?b - base)
    (in ?c - crate ?t - truck) (lifted ?c - crate ?h - hoist) (idle ?h - hoist))
  (:action drive
    :parameters (?t - truck ?from ?to - place)
    :precondition (at ?t ?from)
    :effect (and (at ?t ?to) (not (at ?t ?from))))
  (:action lift
    :parameters (?h - hoist ?c - crate ?b - base ?p - place)
    :precondition (and (at ?h ?p) (idle ?h) (at ?c ?p) (on ?c ?b) (clear ?c))
    :effect (and (lifted ?c ?h) (clear ?b) (not (at ?c ?p)) (not (on ?c ?b)) (not (clear ?c)) (not (idle ?h))))
  (:action drop
    :parameters (?h - hoist ?c - crate ?b - base ?p - place)
    :precondition (and (at ?h ?p) (at ?b ?p) (clear ?b) (lifted ?c ?h) (not (= ?c ?b)))
    :effect (and (idle ?h) (at ?c ?p) (on ?c ?b) (clear ?c) (not (lifted ?c ?h)) (not (clear ?b))))
  (:action load
    :parameters (?h - hoist ?c - crate ?t - truck ?p - place)
    :precondition (and (at ?h ?p) (at ?t ?p) (lifted ?c ?h))
    :effect (and (in ?c ?t) (idle ?h) (not (lifted ?c ?h))))
  (:action unload
    :parameters (?h - hoist ?c - crate ?t - truck ?p - place)
    :precondition (and (at ?h ?p) (at ?t ?p) (in ?c ?t) (idle ?h))
    :effect (and (lifted ?c ?h) (not (in ?c ?t)) (not (idle ?h)))))
