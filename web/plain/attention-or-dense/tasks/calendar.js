// Days as numbers from 1970-01-01, their weekdays, and the holidays of the United States on which few are born.

const MS_A_DAY = 86_400_000;
const [MONDAY, THURSDAY] = [1, 4];

/** @param {string} date as 2000-01-31 */
export const dayOf = (date) => Date.parse(date) / MS_A_DAY;

/** @param {number} day */
const dateOf = (day) => new Date(day * MS_A_DAY);

/** As 2000-01-31. @param {number} day */
export const dateText = (day) => dateOf(day).toISOString().slice(0, 10);

/** From 0, Sunday. @param {number} day */
export const weekdayOf = (day) => dateOf(day).getUTCDay();

/** @param {number} day */
export const yearOf = (day) => dateOf(day).getUTCFullYear();

/** The months since the beginning of a year. @param {number} day @param {number} year */
export const monthsSince = (day, year) => 12 * (yearOf(day) - year) + dateOf(day).getUTCMonth();

const FIXED = ['1-1', '7-4', '12-24', '12-25', '12-31'];

/** Labor Day, Memorial Day, Thanksgiving and the day after it move with the weekdays. @param {number} day */
export function isHoliday(day) {
  const [month, date, weekday] = [dateOf(day).getUTCMonth() + 1, dateOf(day).getUTCDate(), weekdayOf(day)];
  if (FIXED.includes(`${month}-${date}`)) return true;
  if (weekday === MONDAY) return (month === 9 && date <= 7) || (month === 5 && date > 24);
  if (month !== 11) return false;
  return (weekday === THURSDAY && date > 21 && date <= 28) || (weekday === THURSDAY + 1 && date > 22 && date <= 29);
}

/** The same in Python, of a datetime.date. */
export const HOLIDAY_PYTHON = `def is_holiday(date):
    month, day, weekday = date.month, date.day, date.weekday()
    if (month, day) in [(1, 1), (7, 4), (12, 24), (12, 25), (12, 31)]:
        return True
    if weekday == 0:
        return month == 9 and day <= 7 or month == 5 and day > 24
    return month == 11 and (weekday == 3 and 21 < day <= 28 or weekday == 4 and 22 < day <= 29)
`;
