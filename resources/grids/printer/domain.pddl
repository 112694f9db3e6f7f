(define (domain printer)
  (:requirements :strips :typing)
  (:types position direction)
  (:predicates
    (at ?p - position) (facing ?d - direction) (left-turn ?from ?to - direction) (right-turn ?from ?to - direction)
    (move-dir ?from ?to - position ?d - direction) (desk ?p - position) (not-desk ?p - position) (printer-at ?p - position)
    (carrying) (on-desk) (printer-on) (printer-off))
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
    :precondition (and (at ?from) (facing ?dir) (move-dir ?from ?to ?dir) (not-desk ?to))
    :effect (and (not (at ?from)) (at ?to)))
  (:action pick
    :parameters (?pos ?where - position ?dir - direction)
    :precondition (and (at ?pos) (facing ?dir) (move-dir ?pos ?where ?dir) (printer-at ?where))
    :effect (and (not (printer-at ?where)) (carrying) (not (on-desk))))
  (:action drop
    :parameters (?pos ?where - position ?dir - direction)
    :precondition (and (at ?pos) (facing ?dir) (move-dir ?pos ?where ?dir) (carrying) (not-desk ?where))
    :effect (and (printer-at ?where) (not (carrying))))
  (:action drop_desk
    :parameters (?pos ?where - position ?dir - direction)
    :precondition (and (at ?pos) (facing ?dir) (move-dir ?pos ?where ?dir) (carrying) (desk ?where))
    :effect (and (printer-at ?where) (not (carrying)) (on-desk)))
  (:action toggle_on
    :parameters (?pos ?where - position ?dir - direction)
    :precondition (and (at ?pos) (facing ?dir) (move-dir ?pos ?where ?dir) (printer-at ?where) (printer-off))
    :effect (and (printer-on) (not (printer-off))))
  (:action toggle_off
    :parameters (?pos ?where - position ?dir - direction)
    :precondition (and (at ?pos) (facing ?dir) (move-dir ?pos ?where ?dir) (printer-at ?where) (printer-on))
    :effect (and (printer-off) (not (printer-on)))))
