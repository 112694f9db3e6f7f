(define (problem berry_1)
  (:domain tabletop-wishes)
  (:objects
    strawberry - movable
    light_grey_region table_surface - surface)
  (:init
    (handempty)
    (on strawberry table_surface))
  (:goal (achieved)))
