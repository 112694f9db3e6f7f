(define (problem lay_table)
  (:domain tabletop-wishes)
  (:objects
    fork knife apple orange red_block maroon_block - movable
    plate table_surface - surface)
  (:init
    (handempty)
    (on fork table_surface)
    (on knife table_surface)
    (on apple table_surface)
    (on orange table_surface)
    (on red_block table_surface)
    (on maroon_block table_surface))
  (:goal (achieved)))
