// SPDX-License-Identifier: Apache-2.0
// Every word of the page, English and Chinese. What framegov itself says (doctor, decisions, log) stays as it says it.

const TEXTS = {
  en: {
    gap: " ", lateMark: "seconds with late frames", language: "Language", now: "Now", apps: "Apps", doctor: "Check", history: "History", measure: "Measure",
    loading: "One moment …", none: "none", frames: "Frames", missed: "Late", p95: "95 % ready after", deadline: "Deadline",
    power: "Frames' power", source: "Frames from", policy: "Policy", lost: "Events lost", heat: "Heat", mode: "Mode", auto: "As configured",
    powersave: "Power save", balance: "Balance", performance: "Performance", fast: "Fast",
    mode_powersave: "Less power; a late frame now and then", mode_balance: "As slow as smooth frames allow", mode_performance: "Some speed in reserve", mode_fast: "Much in reserve, more power",
    modeForAll: "Mode for all apps", govern: "Govern", isSmooth: "Smooth", isLate: "Some frames are late", isStutter: "It stutters", isStill: "Nothing moves", isPaused: "Paused", isDead: "framegov is not running",
    stillMeans: "No frame in the last minute. A still screen is left alone.", lateOf: "{late} of {frames} frames were late in the last minute.", bigKept: "Big cores were kept to {percent} % of their top speed.",
    appIsOff: "{app} is left alone, as you chose.", pausedSince: "Since {since}, until you switch it on.", pausedUntil: "Since {since}, until {until}.", pausedMeans: "Every app is left alone; limits are as the phone had them.",
    pauseFor: "End it by itself in", pause_30m: "30 minutes", pause_1h: "1 hour", pause_8h: "8 hours",
    helpsLess: "About {percent} % ({low} to {high}) less power than stock in {app}, measured {date}.", helpsMore: "About {percent} % ({low} to {high}) more power than stock in {app}, measured {date}.",
    helpsNone: "No difference in power to stock was found in {app}, measured {date}.", notMeasured: "Whether it helps on this phone is not measured yet.",
    deadMeans: "Nothing is governed: the phone runs as it came.", unfitMeans: "Something is missing that it needs. The phone runs as it came.", startIt: "Start framegov", startHow: "To start it, in a root shell:", seeCheck: "See the whole check",
    asOf: "This was at {time}; framegov does not answer now.", onTop: "on top · {fps} fps", isOnTop: "on top now", thisApp: "This app", likeOthers: "Like all apps", leftAlone: "Left alone", changedTo: "Changed to: {label}.", undo: "Undo", undone: "Undone.",
    lastMinute: "The last minute", eachFrame: "Each second's frames against their deadline", framesBand: "quickest to slowest, and the mean", deadlineAt: "deadline {ms} ms", minuteAgo: "60 s ago", now_: "now", secondsAgo: "{seconds} s",
    framesSummary: "Late in {late} of the last 60 seconds. The slowest frame took {longest} ms, the deadline is {budget} ms.", capSummary: "{title}: allowed between {low} and {high} GHz in the last minute.",
    noneLate: "{app}: {rate} frames a second, none late.", someLate: "{app}: {rate} frames a second, {late} late.", ranAt: "They ran on {cores} at {low} to {high} GHz.", stillThen: "Screen still: nothing held.",
    heavy: "A heavy frame took {ms} ms, the deadline was {budget} ms.", heavyRaised: "A heavy frame took {ms} ms, the deadline was {budget} ms; the speed was raised at once.",
    littleCores: "little cores", midCores: "middle cores", bigCores: "big cores", speeds: "Speeds", cap: "allowed at most", floor: "held at least", ran: "frames ran at", allDecisions: "All decisions", numbers: "Numbers",
    searchApps: "Name or package", noneFound: "No such app is known. Enter its package name.", framesSeen: "{frames} frames seen", kindOfApp: "Kind of app", kindNone: "Not set here ({kind})", everySetting: "Every setting",
    kind_game: "Game", kind_video: "Video", kind_reader: "Reader", kind_map: "Map", kind_browser: "Browser",
    package: "Package name", on: "On", off: "Off", holds: "What holds, and where it comes from", value: "Value", setting: "Setting", origin: "From",
    notSet: "not set here", field_policy: "Policy", field_source: "Frames must be seen by", field_enabled: "Governed", field_target_fps: "Target rates, frames/s",
    field_eps: "Frames that may be late, %", field_margin: "Kept free before the deadline, %", field_background_floor: "Clusters without its frames keep at least, % of their top", field_ceilings: "Highest frequencies", field_floors: "Lowest frequencies",
    all: "all", little: "little", mid: "mid", big: "big", preview: "Preview", save: "Save", remove: "Remove my settings",
    saved: "Saved. It holds from the next frame.", removed: "Removed.", previewed: "Not saved yet. This is what would hold:",
    badRates: "auto, or up to 8 rates from 1 to 480, such as 30, 60", badNumber: "a number from {low} to {high}",
    badLimit: "such as 1.8GHz, 1800MHz, 60%, or none", badPackage: "a package name, such as com.example.game",
    canGovern: "framegov can govern this phone", cannotGovern: "framegov cannot govern this phone", nothingWrong: "Everything is well.", thingsWrong: "Not well: {count}", thingsWell: "What is well: {count}", todo: "What to do",
    ok: "ok", degraded: "degraded", missing: "missing", log: "Log", again: "Look again",
    day: "Day", energy: "Energy, J", historyEmpty: "Nothing yet: frames are counted once framegov governs.", historyNote: "Energy is an estimate of what the frames' own threads took.",
    allApps: "all apps", missedByDay: "Late frames by day, %", energyByDay: "Energy by day, J", byDayAndApp: "By day and app", chartHolds: "{title}, {unit}: {values}",
    measureTitle: "Does it help on this phone?", minutes: "Minutes", startMeasuring: "Start", stopMeasuring: "End now, with what there is",
    measureNote: "Unplug the phone. framegov is switched on and off for the app, window by window in random order, and the battery's gauge shows what that changed. Use the app all the while, the same way.",
    measuring: "Measuring {app}", windowOf: "Window {window} of {windows}, about {left} minutes to go", measureGoOn: "It goes on when this page is closed. Keep using the app.",
    lastResult: "Last result", nothingMeasured: "Nothing was measured yet.", powerMw: "Power, mW", missPercent: "Late, %", stock: "without", withFramegov: "framegov", difference: "change",
    pairs: "Pairs of windows",
  },
  zh: {
    gap: "", lateMark: "有掉帧的秒", language: "语言", now: "现状", apps: "应用", doctor: "检查", history: "历史", measure: "实测",
    loading: "请稍候…", none: "无", frames: "帧数", missed: "掉帧", p95: "95% 帧耗时", deadline: "截止时间",
    power: "帧功耗", source: "帧来源", policy: "策略", lost: "丢失事件", heat: "温度状态", mode: "模式", auto: "按配置",
    powersave: "省电", balance: "均衡", performance: "性能", fast: "极速",
    mode_powersave: "更省电，偶尔掉帧", mode_balance: "流畅前提下尽量降频", mode_performance: "预留一些余量", mode_fast: "预留大量余量，更耗电",
    modeForAll: "所有应用的模式", govern: "调度", isSmooth: "流畅", isLate: "有些掉帧", isStutter: "卡顿", isStill: "画面静止", isPaused: "已暂停", isDead: "framegov 未运行",
    stillMeans: "最近一分钟没有新的帧。画面静止时不做任何限制。", lateOf: "最近一分钟 {frames} 帧中掉帧 {late} 帧。", bigKept: "大核平均被限制在最高频率的 {percent}%。",
    appIsOff: "按您的选择，不调度 {app}。", pausedSince: "从 {since} 起，直到您重新打开。", pausedUntil: "从 {since} 到 {until}。", pausedMeans: "不调度任何应用，频率限制已恢复原样。",
    pauseFor: "自动恢复：", pause_30m: "30 分钟后", pause_1h: "1 小时后", pause_8h: "8 小时后",
    helpsLess: "在 {app} 中比原厂约省电 {percent}%（{low} 至 {high}），测于 {date}。", helpsMore: "在 {app} 中比原厂约多耗电 {percent}%（{low} 至 {high}），测于 {date}。",
    helpsNone: "在 {app} 中未发现与原厂的功耗差别，测于 {date}。", notMeasured: "尚未实测在这部手机上是否有用。",
    deadMeans: "目前没有任何调度，手机以原厂方式运行。", unfitMeans: "缺少必需的条件，手机以原厂方式运行。", startIt: "启动 framegov", startHow: "启动方法，在 root shell 中执行：", seeCheck: "查看完整检查",
    asOf: "以下是 {time} 的数据，framegov 目前没有应答。", onTop: "前台 · {fps} 帧/秒", isOnTop: "当前前台", thisApp: "此应用", likeOthers: "与其他应用相同", leftAlone: "不调度", changedTo: "已改为：{label}。", undo: "撤销", undone: "已撤销。",
    lastMinute: "最近一分钟", eachFrame: "每秒的帧耗时与截止时间", framesBand: "最快到最慢，以及平均", deadlineAt: "截止时间 {ms} ms", minuteAgo: "60 秒前", now_: "现在", secondsAgo: "{seconds} 秒前",
    framesSummary: "最近 60 秒中有 {late} 秒掉帧。最慢一帧耗时 {longest} ms，截止时间 {budget} ms。", capSummary: "{title}：最近一分钟允许的最高频率在 {low} 至 {high} GHz 之间。",
    noneLate: "{app}：每秒 {rate} 帧，没有掉帧。", someLate: "{app}：每秒 {rate} 帧，掉帧 {late} 帧。", ranAt: "运行在{cores}，{low} 至 {high} GHz。", stillThen: "画面静止，不做限制。",
    heavy: "一个重帧耗时 {ms} ms，截止时间 {budget} ms。", heavyRaised: "一个重帧耗时 {ms} ms，截止时间 {budget} ms；已立即升频。",
    littleCores: "小核", midCores: "中核", bigCores: "大核", speeds: "频率", cap: "允许上限", floor: "保持下限", ran: "帧运行频率", allDecisions: "全部决策说明", numbers: "数值",
    searchApps: "名称或包名", noneFound: "没有已知的此类应用，请输入包名。", framesSeen: "已统计 {frames} 帧", kindOfApp: "应用类型", kindNone: "未设置（{kind}）", everySetting: "全部设置",
    kind_game: "游戏", kind_video: "视频", kind_reader: "阅读", kind_map: "地图", kind_browser: "浏览器",
    package: "包名", on: "开", off: "关", holds: "生效值及其来源", value: "值", setting: "设置", origin: "来源",
    notSet: "未设置", field_policy: "策略", field_source: "帧来源要求", field_enabled: "启用", field_target_fps: "目标帧率（帧/秒）",
    field_eps: "允许掉帧的比例，%", field_margin: "预留余量，%", field_background_floor: "不跑其帧的核心簇至少保留的最高速度，%", field_ceilings: "最高频率", field_floors: "最低频率",
    all: "全部", little: "小核", mid: "中核", big: "大核", preview: "预览", save: "保存", remove: "删除我的设置",
    saved: "已保存，下一帧起生效。", removed: "已删除。", previewed: "尚未保存。保存后将生效：",
    badRates: "auto，或最多 8 个 1 到 480 的帧率，例如 30, 60", badNumber: "{low} 到 {high} 之间的数",
    badLimit: "例如 1.8GHz、1800MHz、60% 或 none", badPackage: "包名，例如 com.example.game",
    canGovern: "framegov 可以调度这部手机", cannotGovern: "framegov 无法调度这部手机", nothingWrong: "一切正常。", thingsWrong: "有问题：{count} 项", thingsWell: "正常：{count} 项", todo: "处理办法",
    ok: "正常", degraded: "受限", missing: "缺失", log: "日志", again: "重新检查",
    day: "日期", energy: "能耗（焦）", historyEmpty: "暂无数据：开始调度后才会统计。", historyNote: "能耗为帧自身线程消耗的估计值。",
    allApps: "所有应用", missedByDay: "每日掉帧，%", energyByDay: "每日能耗，焦", byDayAndApp: "按日期和应用", chartHolds: "{title}，{unit}：{values}",
    measureTitle: "对这部手机有用吗？", minutes: "分钟", startMeasuring: "开始", stopMeasuring: "立即结束，使用已有数据",
    measureNote: "请拔掉充电线。framegov 会按随机顺序逐段对该应用开启和关闭，并由电池电量计得出差别。测量期间请一直以同样的方式使用该应用。",
    measuring: "正在测量 {app}", windowOf: "第 {window} 段，共 {windows} 段，约剩 {left} 分钟", measureGoOn: "关闭此页面后测量仍会继续。请继续使用该应用。",
    lastResult: "最近结果", nothingMeasured: "尚未测量。", powerMw: "功率，mW", missPercent: "掉帧，%", stock: "未启用", withFramegov: "framegov", difference: "差值",
    pairs: "成对的时段",
  },
};

const remembered = (() => { try { return localStorage.getItem("framegov-language"); } catch { return null; } })();
let language = remembered ?? (navigator.language.startsWith("zh") ? "zh" : "en");

export const currentLanguage = () => language;

export function setLanguage(name) {
  language = name;
  try { localStorage.setItem("framegov-language", name); } catch { /* some WebViews keep nothing */ }
}

/** The words for `key`, with {names} filled in; a key that is not known (a mode of one's own) stands for itself. */
export function text(key, values = {}) {
  const words = TEXTS[language][key] ?? TEXTS.en[key] ?? key;
  return words.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

const locale = () => (language === "zh" ? "zh-CN" : navigator.language.startsWith("en") ? navigator.language : "en-GB");

/** "14:02", with the day where it is another one. */
export function timeOf(unixSeconds) {
  const then = new Date(1000 * unixSeconds);
  const day = then.toDateString() === new Date().toDateString() ? {} : {day: "numeric", month: "short"};
  return then.toLocaleString(locale(), {...day, hour: "2-digit", minute: "2-digit"});
}

/** "3 Nov" */
export const dateOf = unixSeconds => new Date(1000 * unixSeconds).toLocaleDateString(locale(), {day: "numeric", month: "short"});

/** For the test: keys that one language lacks, and texts whose {names} differ. */
export const missingTexts = () => {
  const names = words => (words.match(/\{\w+\}/g) ?? []).sort().join();
  return [...new Set([...Object.keys(TEXTS.en), ...Object.keys(TEXTS.zh)])]
    .filter(key => !(key in TEXTS.en) || !(key in TEXTS.zh) || names(TEXTS.en[key]) !== names(TEXTS.zh[key]));
};
/** For the test of what no file of the page uses. */
export const textKeys = () => Object.keys(TEXTS.en);
