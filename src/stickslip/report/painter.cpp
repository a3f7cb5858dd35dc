// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/painter.h"

#include "stickslip/files/xml_text.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace stickslip::report {

struct Painter::Impl {
  Format format;
  std::string bytes, notes;
  cairo_surface_t* surface = nullptr;
  cairo_t* cairo = nullptr;

  static cairo_status_t write(void* self, const unsigned char* data, unsigned length) {
    static_cast<Impl*>(self)->bytes.append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  }
  void font(double size, bool bold) const {
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
  }
  void color(const Color& c) const { cairo_set_source_rgba(cairo, c.red, c.green, c.blue, c.alpha); }
  void path(const std::vector<Vec2>& points, bool closed) const {
    cairo_new_sub_path(cairo);
    for (const Vec2& p : points) cairo_line_to(cairo, p.x(), p.y());
    if (closed) cairo_close_path(cairo);
  }
};

Painter::Painter(Format format, double width, double height, double scale) : impl_(std::make_unique<Impl>()) {
  impl_->format = format;
  if (format == Format::Svg) {
    impl_->surface = cairo_svg_surface_create_for_stream(&Impl::write, impl_.get(), width, height);
  } else if (format == Format::Pdf) {
    impl_->surface = cairo_pdf_surface_create_for_stream(&Impl::write, impl_.get(), width, height);
    // The same figure gives the same bytes at any time.
    cairo_pdf_surface_set_metadata(impl_->surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00");
  } else {
    impl_->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * scale)),
                                                static_cast<int>(std::ceil(height * scale)));
  }
  impl_->cairo = cairo_create(impl_->surface);
  if (format == Format::Png) cairo_scale(impl_->cairo, scale, scale);
  cairo_set_line_join(impl_->cairo, CAIRO_LINE_JOIN_ROUND);
  impl_->color(rgb(0xffffff));
  cairo_paint(impl_->cairo);
}

Painter::~Painter() {
  cairo_destroy(impl_->cairo);
  cairo_surface_destroy(impl_->surface);
}

void Painter::fill(const std::vector<std::vector<Vec2>>& loops, Color color) {
  cairo_new_path(impl_->cairo);
  for (const auto& loop : loops) impl_->path(loop, true);
  impl_->color(color);
  cairo_set_fill_rule(impl_->cairo, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_fill(impl_->cairo);
}

void Painter::stroke(const std::vector<Vec2>& points, bool closed, Color color, double width,
                     const std::vector<double>& dashes) {
  cairo_new_path(impl_->cairo);
  impl_->path(points, closed);
  impl_->color(color);
  cairo_set_line_width(impl_->cairo, width);
  cairo_set_dash(impl_->cairo, dashes.data(), static_cast<int>(dashes.size()), 0);
  cairo_stroke(impl_->cairo);
}

void Painter::note(const Vec2& corner, const Vec2& size, const std::string& text) {
  if (impl_->format != Format::Svg) return;
  impl_->notes += fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" pointer-events=\"all\">"
      "<title>{}</title></rect>\n",
      corner.x(), corner.y(), size.x(), size.y(), files::xml_text(text));
}

void Painter::disc(const Vec2& centre, double radius, Color color) {
  cairo_new_path(impl_->cairo);
  cairo_arc(impl_->cairo, centre.x(), centre.y(), radius, 0, 2 * std::numbers::pi);
  impl_->color(color);
  cairo_fill(impl_->cairo);
}

void Painter::circle(const Vec2& centre, double radius, Color color, double width) {
  cairo_new_path(impl_->cairo);
  cairo_arc(impl_->cairo, centre.x(), centre.y(), radius, 0, 2 * std::numbers::pi);
  impl_->color(color);
  cairo_set_dash(impl_->cairo, nullptr, 0, 0);
  cairo_set_line_width(impl_->cairo, width);
  cairo_stroke(impl_->cairo);
}

void Painter::box(const Vec2& corner, const Vec2& size, Color color) {
  cairo_new_path(impl_->cairo);
  cairo_rectangle(impl_->cairo, corner.x(), corner.y(), size.x(), size.y());
  impl_->color(color);
  cairo_fill(impl_->cairo);
}

double Painter::text_width(const std::string& text, double size, bool bold) const {
  impl_->font(size, bold);
  cairo_text_extents_t extents;
  cairo_text_extents(impl_->cairo, text.c_str(), &extents);
  return extents.x_advance;
}

void Painter::text(const Vec2& at, const std::string& text, double size, Color color, Align align, bool bold) {
  const double width = text_width(text, size, bold);
  const double shift = align == Align::Left ? 0 : align == Align::Centre ? width / 2 : width;
  cairo_move_to(impl_->cairo, at.x() - shift, at.y());
  impl_->color(color);
  cairo_show_text(impl_->cairo, text.c_str());
}

void Painter::text_up(const Vec2& at, const std::string& text, double size, Color color) {
  const double width = text_width(text, size);
  cairo_save(impl_->cairo);
  cairo_translate(impl_->cairo, at.x(), at.y() + width / 2);
  cairo_rotate(impl_->cairo, -std::numbers::pi / 2);
  cairo_move_to(impl_->cairo, 0, 0);
  impl_->color(color);
  cairo_show_text(impl_->cairo, text.c_str());
  cairo_restore(impl_->cairo);
}

void Painter::clip(const Vec2& corner, const Vec2& size) {
  cairo_save(impl_->cairo);
  cairo_new_path(impl_->cairo);
  cairo_rectangle(impl_->cairo, corner.x(), corner.y(), size.x(), size.y());
  cairo_clip(impl_->cairo);
}

void Painter::unclip() {
  cairo_restore(impl_->cairo);
}

std::string Painter::finish() {
  if (impl_->format == Format::Png) {
    cairo_surface_flush(impl_->surface);
    cairo_surface_write_to_png_stream(impl_->surface, &Impl::write, impl_.get());
  }
  const cairo_status_t drawn = cairo_status(impl_->cairo);
  cairo_surface_finish(impl_->surface);
  const cairo_status_t written = cairo_surface_status(impl_->surface);
  if (drawn != CAIRO_STATUS_SUCCESS || written != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error(cairo_status_to_string(drawn != CAIRO_STATUS_SUCCESS ? drawn : written));
  if (const std::size_t end = impl_->bytes.rfind("</svg>"); !impl_->notes.empty() && end != std::string::npos)
    impl_->bytes.insert(end, impl_->notes);
  return impl_->bytes;
}

}  // namespace stickslip::report
