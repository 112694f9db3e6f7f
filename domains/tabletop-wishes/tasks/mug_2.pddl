(define (problem mug_2)
  (:domain tabletop-wishes)
  (:objects
    fork knife sponge strawberry mustard_bottle orange - movable
    mug - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on fork table_surface)
    (on knife table_surface)
    (on sponge table_surface)
    (on strawberry table_surface)
    (on mustard_bottle table_surface)
    (on mug table_surface)
    (on orange mug))
  (:goal (achieved)))
