(define (problem berry_cook)
  (:domain tabletop-wishes)
  (:objects
    strawberry - movable
    skillet bowl - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on strawberry table_surface)
    (on skillet table_surface)
    (on bowl table_surface))
  (:goal (achieved)))
