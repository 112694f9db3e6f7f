(define (domain maze)
  (:requirements :strips :negative-preconditions)
  (:predicates (at ?x) (wall ?x)
    (up_direction ?from ?to) (right_direction ?from ?to) (down_direction ?from ?to) (left_direction ?from ?to))
  (:action move-up
    :parameters (?from ?to)
    :precondition (and (at ?from) (up_direction ?from ?to) (not (wall ?to)))
    :effect (and (at ?to) (not (at ?from))))
  (:action move-right
    :parameters (?from ?to)
    :precondition (and (at ?from) (right_direction ?from ?to) (not (wall ?to)))
    :effect (and (at ?to) (not (at ?from))))
  (:action move-down
    :parameters (?from ?to)
    :precondition (and (at ?from) (down_direction ?from ?to) (not (wall ?to)))
    :effect (and (at ?to) (not (at ?from))))
  (:action move-left
    :parameters (?from ?to)
    :precondition (and (at ?from) (left_direction ?from ?to) (not (wall ?to)))
    :effect (and (at ?to) (not (at ?from)))))
