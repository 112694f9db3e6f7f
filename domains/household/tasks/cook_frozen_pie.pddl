(define (problem cook_frozen_pie)
  (:domain household)
  (:objects
    agent-n-01_1 - agent-n-01
    kitchen_1 - kitchen
    floor-n-01_1 - floor-n-01
    electric_refrigerator-n-01_1 - electric_refrigerator-n-01
    oven-n-01_1 - oven-n-01
    pie-n-01_1 - pie-n-01)
  (:init
    (inroom agent-n-01_1 kitchen_1)
    (inroom floor-n-01_1 kitchen_1)
    (inroom electric_refrigerator-n-01_1 kitchen_1)
    (inroom oven-n-01_1 kitchen_1)
    (handempty agent-n-01_1)
    (inside pie-n-01_1 electric_refrigerator-n-01_1)
    (frozen pie-n-01_1)
    (closed electric_refrigerator-n-01_1)
    (closed oven-n-01_1))
  (:goal (hot pie-n-01_1)))
