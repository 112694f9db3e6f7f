(define (problem holder)
  (:domain tabletop-wishes)
  (:objects
    fork knife apple - movable
    utensil_holder - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on fork table_surface)
    (on knife table_surface)
    (on apple table_surface)
    (on utensil_holder table_surface))
  (:goal (achieved)))
