(define (problem colour_bins)
  (:domain tabletop-wishes)
  (:objects
    strawberry lime - movable
    red_bin green_bin - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on strawberry table_surface)
    (on lime table_surface)
    (on red_bin table_surface)
    (on green_bin table_surface))
  (:goal (achieved)))
