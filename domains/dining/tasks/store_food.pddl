(define (problem store_food_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            burger_1 - burger  fridge_1 - fridge)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at burger_1 dining) (at fridge_1 kitchen)
         (closed fridge_1) (found fridge_1))
  (:goal (and (food_stored) (closed fridge_1))))
