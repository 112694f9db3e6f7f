(define (problem coffee)
  (:domain tabletop-wishes)
  (:objects
    mug - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on mug table_surface))
  (:goal (achieved)))
