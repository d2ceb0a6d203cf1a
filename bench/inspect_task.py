"""The bench's task for Inspect AI: the same rows, prompt and parameters as Reprise's contestants have."""

from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import match
from inspect_ai.solver import generate, system_message


@task
def sums(dataset: str) -> Task:
    return Task(
        dataset=json_dataset(dataset, FieldSpec(input="question", target="answer", id="id")),
        solver=[
            system_message("You are a helpful QA assistant. Use prior history when useful."),
            generate(),
        ],
        scorer=match(numeric=True),
        config=GenerateConfig(temperature=0.2, max_tokens=2048),
    )
