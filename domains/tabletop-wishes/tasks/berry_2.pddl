(define (problem berry_2)
  (:domain tabletop-wishes)
  (:objects
    strawberry potted_meat_can - movable
    light_grey_region table_surface - surface)
  (:init
    (handempty)
    (on strawberry table_surface)
    (on potted_meat_can table_surface))
  (:goal (achieved)))
