(define (problem set_table_1) (:domain dining)
  (:objects robot_1 - robot  kitchen dining - location
            plate_1 - plate  fork_1 - fork  cupboard_1 - cupboard  table_1 - table)
  (:init (robot_at robot_1 kitchen) (hand_empty robot_1) (inside plate_1 cupboard_1)
         (inside fork_1 cupboard_1) (at cupboard_1 kitchen) (closed cupboard_1) (found cupboard_1)
         (at table_1 dining))
  (:goal (and (plate_laid table_1) (fork_laid table_1) (closed cupboard_1))))
