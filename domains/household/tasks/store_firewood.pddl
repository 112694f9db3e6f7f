(define (problem store_firewood)
  (:domain household)
  (:objects
    agent-n-01_1 - agent-n-01
    living_room_1 - living_room
    floor-n-01_1 - floor-n-01
    table-n-02_1 - table-n-02
    wooden_stick-n-01_1 wooden_stick-n-01_2 - wooden_stick-n-01)
  (:init
    (inroom agent-n-01_1 living_room_1)
    (inroom floor-n-01_1 living_room_1)
    (inroom table-n-02_1 living_room_1)
    (inroom wooden_stick-n-01_1 living_room_1)
    (inroom wooden_stick-n-01_2 living_room_1)
    (handempty agent-n-01_1)
    (ontop wooden_stick-n-01_1 floor-n-01_1)
    (ontop wooden_stick-n-01_2 floor-n-01_1))
  (:goal (and
    (ontop wooden_stick-n-01_1 table-n-02_1)
    (ontop wooden_stick-n-01_2 table-n-02_1))))
