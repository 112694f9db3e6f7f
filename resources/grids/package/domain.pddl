(define (domain package)
  (:requirements :strips :typing)
  (:types position package direction)
  (:predicates
    (at ?p - position) (package-at ?pkg - package ?p - position) (package-open ?pkg - package)
    (package-closed ?pkg - package) (facing ?d - direction) (left-turn ?from ?to - direction)
    (right-turn ?from ?to - direction) (move-dir ?from ?to - position ?d - direction))
  (:action turn-left
    :parameters (?from ?to - direction)
    :precondition (and (facing ?from) (left-turn ?from ?to))
    :effect (and (not (facing ?from)) (facing ?to)))
  (:action turn-right
    :parameters (?from ?to - direction)
    :precondition (and (facing ?from) (right-turn ?from ?to))
    :effect (and (not (facing ?from)) (facing ?to)))
  (:action move
    :parameters (?from ?to - position ?dir - direction)
    :precondition (and (at ?from) (facing ?dir) (move-dir ?from ?to ?dir))
    :effect (and (not (at ?from)) (at ?to)))
  (:action open
    :parameters (?pkg - package ?pos ?where - position ?dir - direction)
    :precondition (and (at ?pos) (package-at ?pkg ?where) (package-closed ?pkg) (facing ?dir) (move-dir ?pos ?where ?dir))
    :effect (and (not (package-closed ?pkg)) (package-open ?pkg)))
  (:action close
    :parameters (?pkg - package ?pos ?where - position ?dir - direction)
    :precondition (and (at ?pos) (package-at ?pkg ?where) (package-open ?pkg) (facing ?dir) (move-dir ?pos ?where ?dir))
    :effect (and (not (package-open ?pkg)) (package-closed ?pkg))))
