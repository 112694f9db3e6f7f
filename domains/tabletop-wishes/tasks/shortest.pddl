(define (problem shortest)
  (:domain tabletop-wishes)
  (:objects
    domino spam milk_carton - movable
    bin - vessel
    scale table_surface - surface)
  (:init
    (handempty)
    (on domino table_surface)
    (on spam table_surface)
    (on milk_carton table_surface)
    (on bin table_surface))
  (:goal (achieved)))
