; A floor of cells to be swept: the domain of the example robot in docs/examples/plugins/grid.py.
(define (domain grid)
  (:requirements :strips :typing)
  (:types cell)
  (:predicates (at ?c - cell) (next ?a - cell ?b - cell) (swept ?c - cell))
  (:action move
    :parameters (?a - cell ?b - cell)
    :precondition (and (at ?a) (next ?a ?b))
    :effect (and (at ?b) (not (at ?a))))
  (:action sweep
    :parameters (?c - cell)
    :precondition (at ?c)
    :effect (swept ?c)))
