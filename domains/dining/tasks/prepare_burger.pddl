(define (problem prepare_burger_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            plate_1 - plate  fork_1 - fork  burger_1 - burger  chair_1 - chair  table_1 - table)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (at plate_1 kitchen) (at fork_1 kitchen)
         (at burger_1 kitchen) (found plate_1) (found fork_1) (found burger_1) (at chair_1 dining)
         (at table_1 dining))
  (:goal (and (plate_laid table_1) (fork_laid table_1) (food_laid table_1) (seat_ready dining))))
