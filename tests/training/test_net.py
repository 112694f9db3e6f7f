"""What is trained is what is run: the same numbers in PyTorch as in OpenCV and numpy."""

import numpy as np
import pytest

from core.vqa.eye.eye import run_head

torch = pytest.importorskip("torch", reason="only for who trains an eye")
onnx = pytest.importorskip("onnx", reason="only for who trains an eye")


def test_that_the_exported_trunk_and_head_give_what_the_trained_network_gives() -> None:
    import cv2

    from training import net
    from training.export import trunk_model

    params = net.init(3, predicates=2, objects=4)
    picture = np.random.default_rng(0).integers(0, 256, (net.SIDE, net.SIDE, 3)).astype(np.uint8)
    ids = np.array([[1, 2, 3], [0, 1, 0]])
    features = net.trunk(params, torch.from_numpy(picture[None]))
    logits = net.head(params, features, torch.from_numpy(ids[None]))[0]

    arrays = {name: value.numpy() for name, value in params.items()}
    trunk = cv2.dnn.readNetFromONNX(np.frombuffer(trunk_model(arrays).SerializeToString(), np.uint8))
    trunk.setInput((picture.astype(np.float32) / 128 - 1).transpose(2, 0, 1)[None])
    seen = trunk.forward().reshape(net.CHANNELS, net.GRID**2).T

    assert np.allclose(seen, features[0].numpy(), atol=1e-4)
    assert np.allclose(run_head(arrays, seen, ids)[0], logits.numpy(), atol=1e-3)
