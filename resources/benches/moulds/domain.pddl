(define (domain moulds)
  (:requirements :strips :typing :negative-preconditions :conditional-effects)
  (:types arm mould slot - object)
  (:predicates
    (poured ?m - mould)
    (inlaid ?m - mould)
    (cured ?m - mould)
    (used ?m - mould)
    (empty ?s - slot)
    (delivered ?m - mould ?s - slot)
    (good ?s - slot))
  (:action pour
    :parameters (?a - arm ?m - mould)
    :precondition (and (not (poured ?m)) (not (used ?m)))
    :effect (poured ?m))
  (:action inlay
    :parameters (?a - arm ?m - mould)
    :precondition (and (poured ?m) (not (cured ?m)))
    :effect (inlaid ?m))
  (:action cure
    :parameters (?a - arm ?m - mould)
    :precondition (and (poured ?m) (not (cured ?m)))
    :effect (cured ?m))
  (:action deliver
    :parameters (?a - arm ?m - mould ?s - slot)
    :precondition (and (cured ?m) (empty ?s) (not (used ?m)))
    :effect (and (delivered ?m ?s) (used ?m) (not (empty ?s)) (when (inlaid ?m) (good ?s))))
  (:action reject
    :parameters (?a - arm ?m - mould ?s - slot)
    :precondition (delivered ?m ?s)
    :effect (and (empty ?s) (not (delivered ?m ?s)) (not (good ?s)))))
