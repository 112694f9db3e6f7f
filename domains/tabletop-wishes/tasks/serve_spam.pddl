(define (problem serve_spam)
  (:domain tabletop-wishes)
  (:objects
    spam apple - movable
    pan - vessel
    plate table_surface - surface)
  (:init
    (handempty)
    (on spam table_surface)
    (on apple table_surface)
    (on pan table_surface))
  (:goal (achieved)))
