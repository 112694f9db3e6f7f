; The 8- and the 15-puzzle.
(define (domain puzzle)
  (:types tile cell)
  (:predicates (on ?t - tile ?c - cell) (empty ?c - cell) (beside ?a ?b - cell))
  (:action slide
    :parameters (?t - tile ?from ?to - cell)
    :precondition (and (on ?t ?from) (empty ?to) (beside ?from ?to))
    :effect (and (on ?t ?to) (empty ?from) (not (on ?t ?from)) (not (empty ?to)))))
