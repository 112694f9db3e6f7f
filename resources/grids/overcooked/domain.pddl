(define (domain overcooked)
  (:requirements :strips :typing)
  (:types position direction player ingredient plate chopping-board delivery-point)
  (:predicates
    (at ?pl - player ?p - position) (floor ?p - position) (counter ?p - position) (clear ?p - position)
    (move-dir ?from ?to - position ?d - direction) (adjacent ?from ?to - position)
    (ingredient-at ?i - ingredient ?p - position) (plate-at ?d - plate ?p - position)
    (board-at ?b - chopping-board ?p - position) (delivery-at ?e - delivery-point ?p - position)
    (free ?pl - player) (has-ingredient ?pl - player ?i - ingredient) (has-plate ?pl - player ?d - plate)
    (unchopped ?i - ingredient) (chopped ?i - ingredient) (salad ?i - ingredient)
    (empty ?d - plate) (plated ?d - plate) (delivered ?d - plate))
  (:action move
    :parameters (?pl - player ?from ?to - position ?dir - direction)
    :precondition (and (at ?pl ?from) (move-dir ?from ?to ?dir) (floor ?to) (clear ?to))
    :effect (and (not (at ?pl ?from)) (at ?pl ?to) (clear ?from) (not (clear ?to))))
  (:action pick-ingredient
    :parameters (?pl - player ?i - ingredient ?pos ?where - position)
    :precondition (and (at ?pl ?pos) (ingredient-at ?i ?where) (adjacent ?pos ?where) (free ?pl))
    :effect (and (not (ingredient-at ?i ?where)) (has-ingredient ?pl ?i) (not (free ?pl)) (clear ?where)))
  (:action drop-ingredient
    :parameters (?pl - player ?i - ingredient ?pos ?where - position ?dir - direction)
    :precondition (and (at ?pl ?pos) (has-ingredient ?pl ?i) (move-dir ?pos ?where ?dir) (counter ?where) (clear ?where))
    :effect (and (ingredient-at ?i ?where) (not (has-ingredient ?pl ?i)) (free ?pl) (not (clear ?where))))
  (:action pick-plate
    :parameters (?pl - player ?d - plate ?pos ?where - position)
    :precondition (and (at ?pl ?pos) (plate-at ?d ?where) (adjacent ?pos ?where) (free ?pl))
    :effect (and (not (plate-at ?d ?where)) (has-plate ?pl ?d) (not (free ?pl)) (clear ?where)))
  (:action drop-plate
    :parameters (?pl - player ?d - plate ?pos ?where - position ?dir - direction)
    :precondition (and (at ?pl ?pos) (has-plate ?pl ?d) (move-dir ?pos ?where ?dir) (counter ?where) (clear ?where))
    :effect (and (plate-at ?d ?where) (not (has-plate ?pl ?d)) (free ?pl) (not (clear ?where))))
  (:action chop
    :parameters (?pl - player ?i - ingredient ?b - chopping-board ?pos ?where - position)
    :precondition (and (at ?pl ?pos) (adjacent ?pos ?where) (board-at ?b ?where) (ingredient-at ?i ?where) (free ?pl)
      (unchopped ?i))
    :effect (and (chopped ?i) (not (unchopped ?i))))
  (:action merge-ingredient
    :parameters (?pl - player ?i ?j - ingredient ?pos ?where - position)
    :precondition (and (at ?pl ?pos) (adjacent ?pos ?where) (has-ingredient ?pl ?i) (ingredient-at ?j ?where) (chopped ?i)
      (chopped ?j))
    :effect (and (not (has-ingredient ?pl ?i)) (free ?pl) (salad ?j)))
  (:action put-plate
    :parameters (?pl - player ?d - plate ?i - ingredient ?pos ?where - position)
    :precondition (and (at ?pl ?pos) (adjacent ?pos ?where) (has-plate ?pl ?d) (empty ?d) (ingredient-at ?i ?where)
      (salad ?i))
    :effect (and (not (ingredient-at ?i ?where)) (plated ?d) (not (empty ?d)) (clear ?where)))
  (:action deliver
    :parameters (?pl - player ?d - plate ?e - delivery-point ?pos ?where - position)
    :precondition (and (at ?pl ?pos) (adjacent ?pos ?where) (has-plate ?pl ?d) (plated ?d) (delivery-at ?e ?where))
    :effect (and (delivered ?d) (not (has-plate ?pl ?d)) (free ?pl))))
