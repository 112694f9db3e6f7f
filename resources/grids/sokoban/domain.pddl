(define (domain sokoban)
  (:requirements :strips :typing)
  (:types position direction box)
  (:predicates
    (at ?p - position) (box-at ?b - box ?p - position) (clear ?p - position) (is-goal ?p - position)
    (is-nongoal ?p - position) (at-goal ?b - box) (move-dir ?from ?to - position ?d - direction))
  (:action move
    :parameters (?from ?to - position ?dir - direction)
    :precondition (and (at ?from) (clear ?to) (move-dir ?from ?to ?dir))
    :effect (and (not (at ?from)) (at ?to) (clear ?from) (not (clear ?to))))
  (:action push-to-goal
    :parameters (?b - box ?ppos ?from ?to - position ?dir - direction)
    :precondition (and (at ?ppos) (box-at ?b ?from) (clear ?to) (move-dir ?ppos ?from ?dir) (move-dir ?from ?to ?dir)
      (is-goal ?to))
    :effect (and (not (at ?ppos)) (at ?from) (clear ?ppos) (not (box-at ?b ?from)) (box-at ?b ?to) (not (clear ?to))
      (at-goal ?b)))
  (:action push-to-nongoal
    :parameters (?b - box ?ppos ?from ?to - position ?dir - direction)
    :precondition (and (at ?ppos) (box-at ?b ?from) (clear ?to) (move-dir ?ppos ?from ?dir) (move-dir ?from ?to ?dir)
      (is-nongoal ?to))
    :effect (and (not (at ?ppos)) (at ?from) (clear ?ppos) (not (box-at ?b ?from)) (box-at ?b ?to) (not (clear ?to))
      (not (at-goal ?b)))))
