; Locked cells, each opened by a key of its shape; the robot carries one key.
(define (domain grid)
  (:types cell key shape)
  (:predicates (beside ?a ?b - cell) (robot ?c - cell) (lies ?k - key ?c - cell) (holds ?k - key) (free)
    (open ?c - cell) (lock ?c - cell ?s - shape) (has ?k - key ?s - shape))
  (:action move
    :parameters (?from ?to - cell)
    :precondition (and (robot ?from) (beside ?from ?to) (open ?to))
    :effect (and (robot ?to) (not (robot ?from))))
  (:action unlock
    :parameters (?here ?door - cell ?k - key ?s - shape)
    :precondition (and (robot ?here) (beside ?here ?door) (holds ?k) (has ?k ?s) (lock ?door ?s) (not (open ?door)))
    :effect (open ?door))
  (:action take
    :parameters (?k - key ?c - cell)
    :precondition (and (robot ?c) (lies ?k ?c) (free))
    :effect (and (holds ?k) (not (lies ?k ?c)) (not (free))))
  (:action drop
    :parameters (?k - key ?c - cell)
    :precondition (and (robot ?c) (holds ?k))
    :effect (and (lies ?k ?c) (free) (not (holds ?k)))))
