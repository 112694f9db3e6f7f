; The mug is in a closed cabinet: it has no room of its own until the cabinet is open.
(define (problem boil_water)
  (:domain household)
  (:objects
    agent-n-01_1 - agent-n-01
    kitchen_1 - kitchen
    floor-n-01_1 - floor-n-01
    cabinet-n-01_1 - cabinet-n-01
    mug-n-04_1 - mug-n-04
    sink-n-01_1 - sink-n-01
    water-n-06_1 - water-n-06
    microwave-n-02_1 - microwave-n-02)
  (:init
    (inroom agent-n-01_1 kitchen_1)
    (inroom floor-n-01_1 kitchen_1)
    (inroom cabinet-n-01_1 kitchen_1)
    (inroom sink-n-01_1 kitchen_1)
    (inroom microwave-n-02_1 kitchen_1)
    (handempty agent-n-01_1)
    (inside mug-n-04_1 cabinet-n-01_1)
    (closed cabinet-n-01_1)
    (closed microwave-n-02_1)
    (insource sink-n-01_1 water-n-06_1))
  (:goal (cooked water-n-06_1)))
