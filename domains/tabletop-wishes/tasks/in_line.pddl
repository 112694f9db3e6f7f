(define (problem in_line)
  (:domain tabletop-wishes)
  (:objects
    red_block green_block blue_block - movable
    table_surface - surface)
  (:init
    (handempty)
    (on red_block table_surface)
    (on green_block table_surface)
    (on blue_block table_surface))
  (:goal (achieved)))
