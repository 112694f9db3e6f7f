(define (problem serve_coke_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            glass_1 - glass  coke_1 - coke  table_1 - table)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at glass_1 kitchen) (at coke_1 kitchen)
         (at table_1 dining))
  (:goal (and (coke_served table_1))))
