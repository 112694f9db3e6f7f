(define (domain assembly)
  (:requirements :strips :typing)
  (:types block support - piece)
  (:predicates
    (hand-empty) (in-hand ?b - block) (on-table ?b - block) (upright ?b - block) (horizontal ?b - block)
    (inserted ?p - piece) (out ?p - piece)
    (rests-on ?b - block ?x ?y - piece) (carries ?b - block ?u ?v ?w - piece))
  (:action pickup
    :parameters (?b - block)
    :precondition (and (on-table ?b) (hand-empty))
    :effect (and (in-hand ?b) (not (on-table ?b)) (not (hand-empty))))
  (:action putdown
    :parameters (?b - block)
    :precondition (in-hand ?b)
    :effect (and (on-table ?b) (hand-empty) (not (in-hand ?b))))
  (:action reorient_to_upright
    :parameters (?b - block)
    :precondition (and (in-hand ?b) (horizontal ?b))
    :effect (and (upright ?b) (not (horizontal ?b))))
  (:action reorient_to_horizontal
    :parameters (?b - block)
    :precondition (and (in-hand ?b) (upright ?b))
    :effect (and (horizontal ?b) (not (upright ?b))))
  (:action insert
    :parameters (?b - block ?x ?y ?u ?v ?w - piece)
    :precondition (and (in-hand ?b) (upright ?b) (rests-on ?b ?x ?y) (inserted ?x) (inserted ?y)
      (carries ?b ?u ?v ?w) (out ?u) (out ?v) (out ?w))
    :effect (and (inserted ?b) (hand-empty) (not (out ?b)) (not (in-hand ?b))))
  (:action unstack
    :parameters (?b - block ?u ?v ?w - piece)
    :precondition (and (inserted ?b) (hand-empty) (carries ?b ?u ?v ?w) (out ?u) (out ?v) (out ?w))
    :effect (and (in-hand ?b) (out ?b) (not (inserted ?b)) (not (hand-empty)))))
