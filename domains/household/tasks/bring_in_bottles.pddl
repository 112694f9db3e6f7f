; No action moves the agent from room to room, so it is "in" every room that it can walk to.
(define (problem bring_in_bottles)
  (:domain household)
  (:objects
    agent-n-01_1 - agent-n-01
    living_room_1 - living_room
    garden_1 - room
    floor-n-01_1 floor-n-01_2 - floor-n-01
    table-n-02_1 - table-n-02
    beer_bottle-n-01_1 - beer_bottle-n-01
    water_bottle-n-01_1 - water_bottle-n-01)
  (:init
    (inroom agent-n-01_1 living_room_1)
    (inroom agent-n-01_1 garden_1)
    (inroom floor-n-01_1 living_room_1)
    (inroom table-n-02_1 living_room_1)
    (inroom floor-n-01_2 garden_1)
    (inroom beer_bottle-n-01_1 garden_1)
    (inroom water_bottle-n-01_1 garden_1)
    (handempty agent-n-01_1)
    (ontop beer_bottle-n-01_1 floor-n-01_2)
    (ontop water_bottle-n-01_1 floor-n-01_2))
  (:goal (and
    (onfloor beer_bottle-n-01_1 floor-n-01_1)
    (onfloor water_bottle-n-01_1 floor-n-01_1))))
