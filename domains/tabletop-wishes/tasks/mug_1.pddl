(define (problem mug_1)
  (:domain tabletop-wishes)
  (:objects
    fork power_drill potted_meat_can - movable
    mug - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on fork table_surface)
    (on power_drill table_surface)
    (on potted_meat_can table_surface)
    (on mug table_surface))
  (:goal (achieved)))
