(define (domain multirob)
  (:requirements :strips :typing)
  (:types position robot box)
  (:predicates
    (at ?b - box ?p - position) (holds ?r - robot ?b - box) (free ?r - robot) (clear ?p - position)
    (reaches ?r - robot ?p - position))
  (:action pickup
    :parameters (?r - robot ?b - box ?p - position)
    :precondition (and (free ?r) (at ?b ?p) (reaches ?r ?p))
    :effect (and (holds ?r ?b) (clear ?p) (not (free ?r)) (not (at ?b ?p))))
  (:action putdown
    :parameters (?r - robot ?b - box ?p - position)
    :precondition (and (holds ?r ?b) (reaches ?r ?p) (clear ?p))
    :effect (and (at ?b ?p) (free ?r) (not (holds ?r ?b)) (not (clear ?p)))))
