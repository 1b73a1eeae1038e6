//! The visible part of a chart: panned and scaled, clamped to the chart.

use super::chart::Rect;

/// A point `(x, y)` of the chart is drawn at `(x · scale + left, y · scale + top)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    pub scale: f64,
    pub left: f64,
    pub top: f64,
    /// Size of the viewport in CSS pixels.
    pub width: f64,
    pub height: f64,
    /// Size of the chart at scale 1.
    pub chart: (f64, f64),
    /// Maximum scale.
    pub most: f64,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            scale: 1.0,
            left: 0.0,
            top: 0.0,
            width: 0.0,
            height: 0.0,
            chart: (0.0, 0.0),
            most: 1.0,
        }
    }
}

impl Camera {
    /// The point of the chart that is drawn at a point of the viewport.
    pub fn to_chart(self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.left) / self.scale, (y - self.top) / self.scale)
    }

    /// The rectangle of the viewport in which a rectangle of the chart is drawn.
    pub fn to_view(self, rect: &Rect) -> Rect {
        Rect {
            x: rect.x * self.scale + self.left,
            y: rect.y * self.scale + self.top,
            width: rect.width * self.scale,
            height: rect.height * self.scale,
        }
    }

    /// The visible part of the chart.
    pub fn part(&self) -> Rect {
        let (x, y) = self.to_chart(0.0, 0.0);
        Rect {
            x,
            y,
            width: self.width / self.scale,
            height: self.height / self.scale,
        }
    }

    /// Pans the chart, clamped to its edges.
    pub fn pan(&mut self, dx: f64, dy: f64) {
        self.left += dx;
        self.top += dy;
        self.clamp();
    }

    /// Scales around a point of the viewport.
    pub fn zoom_at(&mut self, x: f64, y: f64, factor: f64) {
        let (chart_x, chart_y) = self.to_chart(x, y);
        self.scale = (self.scale * factor).clamp(1.0, self.most.max(1.0));
        self.left = x - chart_x * self.scale;
        self.top = y - chart_y * self.scale;
        self.clamp();
    }

    /// Scales around the viewport's center.
    pub fn zoom_to(&mut self, scale: f64) {
        let factor = scale / self.scale;
        self.zoom_at(self.width / 2.0, self.height / 2.0, factor);
    }

    /// Scales around a rectangle of the chart if it is visible; else it comes to the center.
    pub fn zoom_around(&mut self, rect: &Rect, scale: f64) {
        let (x, y) = self.to_view(rect).center();
        if (0.0..=self.width).contains(&x) && (0.0..=self.height).contains(&y) {
            self.zoom_at(x, y, scale / self.scale);
        } else {
            self.zoom_to(scale);
            self.center(rect);
        }
        self.show(rect);
    }

    /// Pans by the minimum that makes a rectangle of the chart fully visible.
    pub fn show(&mut self, rect: &Rect) {
        let seen = self.to_view(rect);
        let shift = |from: f64, size: f64, room: f64| {
            if from < 0.0 {
                -from
            } else {
                (room - from - size).min(0.0)
            }
        };
        let dx = shift(seen.x, seen.width, self.width);
        let dy = shift(seen.y, seen.height, self.height);
        self.pan(dx, dy);
    }

    /// Pans a rectangle of the chart to the center, clamped to the chart's edges.
    pub fn center(&mut self, rect: &Rect) {
        let seen = self.to_view(rect);
        let middle = |from: f64, size: f64, room: f64| (room - size) / 2.0 - from;
        let dx = middle(seen.x, seen.width, self.width);
        let dy = middle(seen.y, seen.height, self.height);
        self.pan(dx, dy);
    }

    fn clamp(&mut self) {
        let least = |room: f64, size: f64| (room - size * self.scale).min(0.0);
        self.left = self.left.clamp(least(self.width, self.chart.0), 0.0);
        self.top = self.top.clamp(least(self.height, self.chart.1), 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::Camera;
    use crate::scene::chart::Rect;

    fn camera() -> Camera {
        Camera {
            width: 600.0,
            height: 400.0,
            chart: (600.0, 400.0),
            most: 8.0,
            ..Camera::default()
        }
    }

    #[test]
    fn zooming_keeps_the_point_and_the_ends() {
        let mut camera = camera();
        camera.zoom_at(150.0, 100.0, 2.0);
        let (x, y) = camera.to_chart(150.0, 100.0);
        assert!((x - 150.0).abs() < 1e-9 && (y - 100.0).abs() < 1e-9);
        camera.zoom_at(150.0, 100.0, 100.0);
        assert_eq!(camera.scale, 8.0);
        camera.zoom_to(0.01);
        assert_eq!((camera.scale, camera.left, camera.top), (1.0, 0.0, 0.0));
    }

    #[test]
    fn panning_stays_on_the_chart() {
        let mut camera = camera();
        camera.pan(50.0, -50.0);
        assert_eq!((camera.left, camera.top), (0.0, 0.0));
        camera.zoom_to(2.0);
        camera.pan(-1e6, 1e6);
        assert_eq!((camera.left, camera.top), (-600.0, 0.0));
    }

    #[test]
    fn showing_a_cell_pans_it_into_view() {
        let mut camera = camera();
        camera.zoom_to(4.0);
        let cell = Rect {
            x: 590.0,
            y: 2.0,
            width: 8.0,
            height: 8.0,
        };
        camera.show(&cell);
        let seen = camera.to_view(&cell);
        assert!(seen.x >= 0.0 && seen.x + seen.width <= 600.0 + 1e-9);
        assert!(seen.y >= 0.0 && seen.y + seen.height <= 400.0);
        let before = camera;
        camera.show(&cell);
        assert_eq!(before, camera);
        // Centered, with chart on both sides horizontally.
        let inner = Rect { x: 300.0, ..cell };
        camera.center(&inner);
        let seen = camera.to_view(&inner);
        assert!((seen.x + seen.width / 2.0 - 300.0).abs() < 1e-9);
        assert_eq!(camera.top, 0.0);
    }

    #[test]
    fn a_zoom_keeps_the_chosen_cell_in_view() {
        for (x, y) in [(0.0, 0.0), (390.0, 190.0), (200.0, 20.0)] {
            let cell = Rect {
                x,
                y,
                width: 10.0,
                height: 10.0,
            };
            let mut zoomed = camera();
            for scale in [1.5, 3.0, 4.0, 2.0] {
                zoomed.zoom_around(&cell, scale);
                let seen = zoomed.to_view(&cell);
                assert!(
                    seen.x >= -0.01 && seen.x + seen.width <= zoomed.width + 0.01,
                    "{seen:?}"
                );
                assert!(
                    seen.y >= -0.01 && seen.y + seen.height <= zoomed.height + 0.01,
                    "{seen:?}"
                );
            }
        }
    }
}
