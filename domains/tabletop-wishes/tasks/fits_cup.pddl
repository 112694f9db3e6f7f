(define (problem fits_cup)
  (:domain tabletop-wishes)
  (:objects
    strawberry orange apple pear - movable
    mug - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on strawberry table_surface)
    (on orange table_surface)
    (on apple table_surface)
    (on pear table_surface)
    (on mug table_surface))
  (:goal (achieved)))
