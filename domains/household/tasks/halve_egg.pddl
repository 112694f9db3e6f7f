(define (problem halve_egg)
  (:domain household)
  (:objects
    agent-n-01_1 - agent-n-01
    kitchen_1 - kitchen
    floor-n-01_1 - floor-n-01
    countertop-n-01_1 - countertop-n-01
    carving_knife-n-01_1 - carving_knife-n-01
    hard__boiled_egg-n-01_1 - hard__boiled_egg-n-01)
  (:init
    (inroom agent-n-01_1 kitchen_1)
    (inroom floor-n-01_1 kitchen_1)
    (inroom countertop-n-01_1 kitchen_1)
    (inroom carving_knife-n-01_1 kitchen_1)
    (inroom hard__boiled_egg-n-01_1 kitchen_1)
    (handempty agent-n-01_1)
    (ontop carving_knife-n-01_1 countertop-n-01_1)
    (ontop hard__boiled_egg-n-01_1 countertop-n-01_1))
  (:goal (halved hard__boiled_egg-n-01_1)))
