(define (problem four-balls) (:domain gripper)
  (:objects hall den - room  red blue green white - ball  left right - gripper)
  (:init (at_robby hall) (at red hall) (at blue hall) (at green hall) (at white hall) (free left) (free right))
  (:goal (and (at red den) (at blue den) (at green den) (at white den))))
