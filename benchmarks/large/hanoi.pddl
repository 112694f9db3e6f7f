(define (domain hanoi)
  (:types disc peg - base)
  (:predicates (on ?d - disc ?b - base) (clear ?b - base) (smaller ?d - disc ?b - base))
  (:action move
    :parameters (?d - disc ?from ?to - base)
    :precondition (and (on ?d ?from) (clear ?d) (clear ?to) (smaller ?d ?to))
    :effect (and (on ?d ?to) (clear ?from) (not (on ?d ?from)) (not (clear ?to)))))
