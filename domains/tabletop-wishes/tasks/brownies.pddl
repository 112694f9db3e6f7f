(define (problem brownies)
  (:domain tabletop-wishes)
  (:objects
    sugar_box cocoa_tin mustard_bottle spam - movable
    pan - vessel
    table_surface - surface)
  (:init
    (handempty)
    (on sugar_box table_surface)
    (on cocoa_tin table_surface)
    (on mustard_bottle table_surface)
    (on spam table_surface)
    (on pan table_surface))
  (:goal (achieved)))
