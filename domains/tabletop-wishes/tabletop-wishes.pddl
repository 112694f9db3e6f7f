; Things on a table, for wishes in a person's words: what on, inside and poured mean of a place is for the wish's own
; tests and for geometry to say. What blocks a place, covers a thing or is stuck is found while looking for motions; what
; carries something is what the wish's own steps put things upon. What lies is stood up before something is put into it.
; A wish's plan ends with its own goal; `achieve_goal` is the paper's last line, and does nothing.
(define (domain tabletop-wishes)
  (:requirements :strips :typing :negative-preconditions :conditional-effects :equality :universal-preconditions)

  (:types
    thing - object
    movable surface - thing
    vessel - movable)

  (:predicates
    (holding ?o - movable)
    (handempty)
    (on ?o - movable ?s - thing)
    (inside ?o - movable ?c - vessel)
    (poured ?c - vessel ?s - thing)
    (achieved)
    (blocks ?o - movable ?s - thing)
    (blocker ?o - movable ?s - thing)
    (covers ?o - movable ?x - movable)
    (stuck ?o - movable)
    (carries ?b - movable)
    (lies ?o - movable))

  (:action pick
    :parameters (?o - movable)
    :precondition (and (handempty) (not (stuck ?o)) (forall (?x - movable) (not (covers ?x ?o))))
    :effect (and (holding ?o) (not (handempty))
                 (forall (?s - thing) (when (on ?o ?s) (not (on ?o ?s))))
                 (forall (?c - vessel) (when (inside ?o ?c) (not (inside ?o ?c))))
                 (forall (?s - thing) (when (blocks ?o ?s) (not (blocks ?o ?s))))
                 (forall (?x - movable) (when (covers ?o ?x) (not (covers ?o ?x))))))

  (:action place_ontop
    :parameters (?o - movable ?s - surface)
    :precondition (and (holding ?o) (forall (?x - movable) (not (blocks ?x ?s))))
    :effect (and (on ?o ?s) (handempty) (not (holding ?o)) (not (lies ?o)) (when (blocker ?o ?s) (blocks ?o ?s))))

  (:action place_upon
    :parameters (?o - movable ?b - movable)
    :precondition (and (holding ?o) (carries ?b) (not (= ?o ?b)) (forall (?x - movable) (not (blocks ?x ?b))))
    :effect (and (on ?o ?b) (handempty) (not (holding ?o)) (when (blocker ?o ?b) (blocks ?o ?b))))

  (:action place_inside
    :parameters (?o - movable ?c - vessel)
    :precondition (and (holding ?o) (not (= ?o ?c)) (not (lies ?c)) (forall (?x - movable) (not (blocks ?x ?c))))
    :effect (and (inside ?o ?c) (handempty) (not (holding ?o)) (when (blocker ?o ?c) (blocks ?o ?c))))

  (:action pour
    :parameters (?c - vessel ?s - thing)
    :precondition (and (holding ?c) (not (= ?c ?s)) (forall (?x - movable) (not (blocks ?x ?s))))
    :effect (and (poured ?c ?s)
                 (forall (?b - movable)
                   (when (inside ?b ?c) (and (not (inside ?b ?c)) (on ?b ?s) (not (stuck ?b)))))
                 (forall (?b - movable) (when (blocks ?b ?c) (not (blocks ?b ?c))))))

  (:action achieve_goal
    :parameters ()
    :precondition (handempty)
    :effect (achieved)))
