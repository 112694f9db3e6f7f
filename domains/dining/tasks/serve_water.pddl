(define (problem serve_water_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            cup_1 - cup  faucet_1 - faucet  table_1 - table)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at cup_1 kitchen) (at faucet_1 kitchen)
         (at table_1 dining))
  (:goal (and (water_served table_1))))
