# Training runs: the same module, loss and optimizer in PyTorch, step by step.

import math

import judge
import torch
import torch.nn.functional as F

OPTIMIZERS = {
    "sgd": torch.optim.SGD,
    "rmsprop": torch.optim.RMSprop,
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
}

# The loss of a whole run may be so far from PyTorch's in float32.
CURVE = 1e-4


def named(option, default):
    option = option or default
    return {"name": option} if isinstance(option, str) else dict(option)


def loss_function(option, dtype):
    options = named(option, "cross_entropy")
    name, target = options.pop("name"), options.pop("target", "indices")
    if "weight" in options:
        options["weight"] = torch.tensor(options["weight"], dtype=dtype)

    def compute(output, batch):
        if name != "cross_entropy":
            return getattr(F, name)(output, batch["target"].to(dtype), **options)
        if target == "next_token":
            return F.cross_entropy(output[:, :-1].flatten(0, 1), batch["tokens"][:, 1:].flatten(), **options)
        rows = output.flatten(0, -2)
        if target == "probabilities":
            return F.cross_entropy(rows, batch["target"].to(dtype).flatten(0, -2), **options)
        return F.cross_entropy(rows, batch["labels"].flatten(), **options)

    return compute


def make_optimizer(option, parameters):
    options = named(option, "adam")
    kind = OPTIMIZERS[options.pop("name")]
    if "beta1" in options or "beta2" in options:
        options["betas"] = (options.pop("beta1", 0.9), options.pop("beta2", 0.999))
    return kind(parameters, foreach=False, **options)


def factor(schedule, step):
    warmup, total = schedule.get("warmup_steps", 0), schedule.get("total_steps", 0)
    if step < warmup:
        return step / warmup
    if schedule["name"] == "constant":
        return 1.0
    passed = min(1.0, (step - warmup) / max(1, total - warmup))
    return 1 - passed if schedule["name"] == "linear" else 0.5 * (1 + math.cos(math.pi * passed))


class Repeated:
    """The run in PyTorch, in a format."""

    def __init__(self, training, dtype):
        entry, options = training.entry, training.entry["options"]
        self.module = training.printed.module(entry["seed"])  # and the generator goes on from here
        if dtype != torch.float32:
            self.module.to(dtype)
        self.module.train()
        for name, parameter in self.module.named_parameters():
            parameter.requires_grad_(name not in entry["frozen"])
        learned = [parameter for parameter in self.module.parameters() if parameter.requires_grad]
        optimizer = make_optimizer(options.get("optimizer"), learned)
        schedule = named(options.get("schedule"), "constant")
        rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor(schedule, step))
        compute, calls = loss_function(options.get("loss"), dtype), options.get("accumulation_steps", 1)
        self.losses, self.norms = [], []
        for i in range(len(entry["steps"])):
            batch = training.data[i % len(training.data)]
            if i % calls == 0:
                optimizer.zero_grad()
            loss = compute(self.output(batch, dtype), batch)
            (loss / calls).backward()
            self.losses.append(loss.item())
            self.norms.append(torch.nn.utils.get_total_norm([p.grad for p in learned if p.grad is not None]).item())
            if (i + 1) % calls == 0:
                if "clip_norm" in options:
                    torch.nn.utils.clip_grad_norm_(learned, options["clip_norm"])
                optimizer.step()
                rates.step()
        self.gradients = {n: p.grad for n, p in self.module.named_parameters() if p.grad is not None}
        self.parameters = {n: p.detach() for n, p in self.module.named_parameters()}
        self.moments = {
            f"{n}.{key}": value
            for n, p in self.module.named_parameters()
            for key, value in optimizer.state.get(p, {}).items()
            if torch.is_tensor(value) and key != "step"
        }
        self.module.eval()
        with torch.no_grad():
            self.evaluated = compute(self.output(training.data[0], dtype), training.data[0]).item()

    def output(self, batch, dtype):
        inputs = {n: t.to(dtype) if t.is_floating_point() else t for n, t in batch.items() if n not in ("labels", "target")}
        return judge.as_tuple(self.module(**inputs))[0]


def test_a_training_run_is_that_of_pytorch(training):
    single, steps = Repeated(training, torch.float32), training.entry["steps"]
    assert len(single.losses) == len(steps)
    noisy = training.config.get("dropout", 0) > 0  # in float64 the same generator draws other noise
    exact = single if noisy else Repeated(training, torch.float64)
    far = []
    for what, key in [("losses", "loss"), ("norms", "gradient_norm")]:
        for i, (theirs, right) in enumerate(zip(getattr(single, what), getattr(exact, what), strict=True)):
            # As near to what float64 gives as PyTorch's own float32 is, but for a factor: Adam enlarges rounding.
            allowed = max(CURVE * max(1, abs(right)), 3 * abs(theirs - right))
            if math.isnan(right) and math.isnan(theirs):  # the mean of no losses
                if steps[i][key] is not None:  # JSON's NaN
                    far.append(f"step {i}: {key} {steps[i][key]} and not NaN")
            elif not abs(steps[i][key] - right) <= allowed:
                far.append(f"step {i}: {key} {steps[i][key]} and not {right}, {allowed:.1e} is allowed")
    if not abs(training.entry["evaluated"] - exact.evaluated) <= CURVE * max(1, abs(exact.evaluated)):
        far.append(f"evaluated: {training.entry['evaluated']} and not {exact.evaluated}")
    for what in [] if noisy else ["parameters", "moments", "gradients"]:
        ours, theirs, right = getattr(training, what), getattr(single, what), getattr(exact, what)
        assert ours.keys() >= theirs.keys(), what
        for name in theirs:
            allowed = max(judge.FLOAT32, 3 * judge.distance(theirs[name], right[name]))
            found = judge.distance(ours[name], right[name])
            if not found <= allowed:
                far.append(f"{what}: {name} is {found:.1e} from what is right, {allowed:.1e} is allowed")
    assert not far, "\n".join(far)


def test_weights_begin_as_pytorch_draws_them(training):
    module = training.printed.module(training.entry["seed"])
    far = judge.differences("initial", training.initial, dict(module.named_parameters()), judge.FLOAT32)
    assert not far, "\n".join(far)


def test_the_printed_script_trains_and_says_ok(training, capsys):
    assert judge.exit_code(training.entry["script"]) == 0
    assert capsys.readouterr().out == "OK\n"


def test_a_script_with_another_loss_or_gradient_says_mismatch(index, capsys):
    script = index.trainings[0].entry["script"]
    first = script[script.index("LOSSES = [") + 10 :].split(",")[0]
    assert judge.exit_code(script.replace(first, str(float(first) + 0.01), 1)) == 1
    assert "MISMATCH loss of step 0" in capsys.readouterr().out
    name, norm = script[script.index("GRADIENT_NORMS = {") + 18 :].strip().split(",")[0].split(": ")
    assert judge.exit_code(script.replace(f"{name}: {norm}", f"{name}: {float(norm) * 2 + 1}")) == 1
    assert f"MISMATCH gradient of {name.strip(chr(34))}" in capsys.readouterr().out
