// The births in a printed script.

import { wrapped } from '../printed.js';
import { LAST, WINDOW } from './births-windows.js';
import { HOLIDAY_PYTHON, dateText } from './calendar.js';

/**
 * @param {import('./births-windows.js').Series} series @param {import('./births-windows.js').Known} known
 * @param {number} samples
 */
export function birthsPython({ first, logs }, { weekday, holidays }, samples) {
  const [year, month, day] = dateText(first).split('-').map(Number);
  const more = [
    ...(weekday ? ['one_hot(DATES[at]) + one_hot(DATES[target])'] : []),
    ...(holidays ? ['[float(is_holiday(DATES[at])), float(is_holiday(DATES[target]))]'] : [])
  ];
  return `# Births a day, from ${dateText(first)} on.
COUNTS = """
${wrapped(logs.map((log) => String(Math.round(Math.exp(log)))))}
""".split()
DATES = [datetime.date(${year}, ${month}, ${day}) + datetime.timedelta(days=at) for at in range(len(COUNTS))]
LOGS = torch.tensor([int(count) for count in COUNTS], dtype=torch.float64).log()
SPLIT = next(at for at, date in enumerate(DATES) if date.year > ${LAST})
SPREAD = LOGS[:SPLIT].std().item()
NUMBERS = ((LOGS - LOGS[:SPLIT].mean()) / SPREAD).tolist()


${HOLIDAY_PYTHON}

def one_hot(date):
    return [float((date.weekday() + 1) % 7 == weekday) for weekday in range(7)]


def known(at, target):
    """What is known of a day, and of the one that is asked for."""
    numbers = [NUMBERS[at]]
${more.map((line) => `    numbers += ${line}\n`).join('')}    return numbers


def examples(part):
    begin, end = {"training": (SPLIT - ${samples}, SPLIT), "held_out": (SPLIT, len(DATES))}[part]
    x = [[known(target - ${WINDOW} + step, target) for step in range(${WINDOW})] for target in range(begin, end)]
    return {"features": torch.tensor(x)}, torch.tensor(NUMBERS[begin:end])`;
}
