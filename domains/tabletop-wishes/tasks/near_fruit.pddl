(define (problem near_fruit)
  (:domain tabletop-wishes)
  (:objects
    banana apple orange sponge - movable
    table_surface - surface)
  (:init
    (handempty)
    (on banana table_surface)
    (on apple table_surface)
    (on orange table_surface)
    (on sponge table_surface))
  (:goal (achieved)))
